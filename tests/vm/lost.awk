# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Prints what kmemleak found after the cases, but for what cases have lost that spoil objects:
# no pool frees these.
#
#	awk -f lost.awk FUNCTIONS FOUND
#
# FUNCTIONS is /proc/kallsyms from before the cases' module went, sorted: kmemleak forgets the
# names with it.  FOUND is what "leaks" printed.  Addresses have 16 digits each, so they are
# compared as texts.  Fails if a case that is named here is no function.

function tell()
{
	if (!spoilt)
		printf "%s", text
}

function is_of_spoiler(address,    i)
{
	for (i = 1; i <= known; i++)
		if (address >= from[i] && address < to[i])
			return 1
	return 0
}

BEGIN {
	n = split("a_corrupted_object_in_quarantine_is_not_taken_back " \
		  "after_a_quarantine_and_a_switch_a_wrong_pointer_is_still_found " \
		  "a_corrupted_object_is_found_on_its_way_to_the_backend " \
		  "an_object_in_a_reserve_is_checked_as_a_free_one " \
		  "an_object_that_was_never_used_is_checked_in_a_reserve_too " \
		  "backup_alone_sees_a_change_at_allocation " \
		  "faults_are_counted_by_their_kind_in_numbers_and_dumps " \
		  "integrity_sees_a_bit_of_any_byte " \
		  "integrity_sees_a_uniform_overwrite " \
		  "ordinary_objects_of_a_guarded_pool_are_checked " \
		  "the_tag_sees_a_zero_too_many " \
		  "the_tag_sees_one_byte_too_many " \
		  "what_is_behind_a_guarded_object_is_kept_apart " \
		  "what_was_sealed_is_checked_after_a_switch_back", names)
	for (i = 1; i <= n; i++)
		spoils[names[i]] = 1
}

# A function ends where the next one begins.
FNR == NR {
	if (known && !to[known])
		to[known] = $1
	if ($3 in spoils)
		from[++known] = $1
	next
}

/^unreferenced object/ {
	tell()
	text = ""
	spoilt = 0
}

/^    0x/ && is_of_spoiler(substr($1, 3)) { spoilt = 1 }

{ text = text $0 "\n" }

END {
	tell()
	exit known != n
}
