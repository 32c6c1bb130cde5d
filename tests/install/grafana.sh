#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The dashboard for Grafana names metrics and labels that the library prints.  Prints a line per
# promise, "ok - NAME" or "not ok - NAME".
#
#	grafana.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

dashboard=user/examples/grafana/pools.json
"$out/poolreplay" --cpus 1 --dump=prometheus tests/replay/data/cc1.trace.xz \
	>"$tmp/text" 2>"$tmp/report"

# agrees DASHBOARD - the queries of the dashboard must fit the text
agrees() {
	tests/install/grafana.py "$1" <"$tmp/text"
}
# told SED-SCRIPT TEXT - after this change of the dashboard, the check must fail and print TEXT
told() {
	local said

	sed "$1" "$dashboard" >"$tmp/changed"
	not cmp -s "$dashboard" "$tmp/changed" || return 1
	! said=$(agrees "$tmp/changed") || return 1
	echo "$said"
	grep -qF "$2" <<<"$said"
}
check the_library_prints_each_metric_of_the_dashboard agrees "$dashboard"
check a_metric_that_there_is_not_is_told_of \
	told 's/libpool_spills_total/libpool_spilled_total/' 'no metric libpool_spilled_total'
check a_label_that_there_is_not_is_told_of \
	told 's/by (state)/by (place)/' 'has the label place'
check a_value_that_there_is_not_is_told_of \
	told 's/state=~\\"shared\\"/state=~\\"global\\"/' 'libpool_objects has no state=global'
check a_variable_of_no_metric_is_told_of \
	told 's/label_values(libpool_pools/label_values(libpool_pool/' 'no metric libpool_pool:'
finish
