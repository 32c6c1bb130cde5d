// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * screen.c - the terminal as a screen: lines and keys, for top and plot
 *
 * Layer:   a part of poolctl.
 * Context: one thread; curses.
 */
#include "poolctl.h"

#include <curses.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Write one line, as much of it as the screen is wide, and clear the rest. */
void screen_line(int y, const char *text, bool marked)
{
	if (y >= LINES)
		return;
	move(y, 0);
	if (marked)
		attron(A_REVERSE);
	addnstr(text, COLS);
	if (marked)
		attroff(A_REVERSE);
	if ((int)strlen(text) < COLS)
		clrtoeol();
}

/* Write a text of lines that are no wider than the screen. */
void screen_text(const char *text)
{
	int y;

	erase();
	for (y = 0; *text && y < LINES; y++) {
		int len = (int)strcspn(text, "\n");

		mvaddnstr(y, 0, text, len);
		text += len + (text[len] == '\n');
	}
	refresh();
}

/* A key; ERR: it is time.  Where the terminal is gone, the user wants to leave: 'q'. */
int screen_key(double until)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	double left;
	int key;

	while ((key = getch()) == ERR && (left = until - seconds_now()) > 0)
		if (poll(&in, 1, (int)(left * 1000) + 1) > 0 && (in.revents & ~POLLIN))
			return 'q';
	return key;
}

void screen_size(int *columns, int *lines)
{
	*columns = COLS;
	*lines = LINES;
}

bool screen_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

void screen_leave(void)
{
	before_message = NULL;
	endwin();
}

/* Does the terminal have a sequence for that? */
static bool moves_cursor(void)
{
	const char *sequence = tigetstr("cup");

	return sequence && sequence != (const char *)-1;
}

void screen_enter(void)
{
	if (!newterm(NULL, stdout, stdin))
		fail(2, "the terminal \"%s\" is not known", getenv("TERM") ?
		     getenv("TERM") : "");
	before_message = screen_leave;
	if (!moves_cursor())
		fail(2, "the terminal \"%s\" cannot move its cursor", getenv("TERM"));
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
}
