#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Finds the commands that README.md and the guide show, and says who runs each.

	commands.py check	every command has somebody who runs it, or a reason
	commands.py WHO...	the commands that WHO runs: "WHO<tab>PAGE:LINE<tab>COMMAND"

WHO is one of:
	root	tests/install/first.sh, in the order of the page, on a fresh Debian
	user	the same, without root's rights
	module	the same, as root
	program	tests/install/first.sh, beside a program that is called "program"
	kernel	tests/vm/guest/stock/pages.sh, in a machine
"""

import re
import sys

WHO = {'root', 'user', 'module', 'program', 'kernel'}

# Commands that are not run, and why.
REASONS = {
	'make demo': 'boots machines, which a container cannot; check runs its parts',
	'make check': 'boots machines, which a container cannot',
	'make check-all': 'is what runs this',
}

# A block is indented and follows a blank line; in README it is not between fences.
BLOCKS = {
	'README.md': re.compile(r'^ {4}(?=\S)'),
	'Documentation/guide.rst': re.compile(r'^\t(?=\S)'),
}


def commands(page):
	"""Yields (section, line number, command) of each line that is a command."""
	indent = BLOCKS[page]
	section, fence, code = '', False, False
	lines = open(page, encoding='utf-8').read().splitlines()
	for number, line in enumerate(lines, 1):
		if line.startswith('```'):
			fence = not fence
		elif line.startswith('## '):
			section = line[3:]
		elif line and not line[0].isspace():
			code = line.startswith('.. ')
		elif indent.match(line) and not fence and not code:
			yield section, number, re.sub(r'\s+#.*', '', line.strip())


def who(section, command):
	"""The one who runs it, or None."""
	if command in REASONS:
		return 'nobody'
	if section == 'Try it in a program':
		return 'root' if command.startswith('apt-get ') else 'user'
	if section == 'Try it in a module':
		return 'module'
	if re.match(r'(ins|rm)mod |.*/sys/kernel/', command):
		return 'kernel'
	if './program' in command:
		return 'program'
	return None


def main(wanted):
	seen, status = set(), 0
	for page in BLOCKS:
		for section, number, command in commands(page):
			runs = who(section, command)
			seen.add(runs)
			if wanted == ['check'] and runs is None:
				print(f'{page}:{number}: nobody runs "{command}"')
				status = 1
			elif runs in wanted:
				print(f'{runs}\t{page}:{number}\t{command}')
	if wanted != ['check']:
		return 0
	for runs in {*WHO, 'nobody'} - seen:
		print(f'no command for "{runs}" was found')
		status = 1
	return status


if sys.argv[1:] != ['check'] and not set(sys.argv[1:]) <= WHO:
	sys.exit(__doc__)
sys.exit(main(sys.argv[1:]))
