# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# stock.sh - loads, uses and unloads pool.ko, topic by topic
#
# Run by busybox sh in a machine, for tests/vm/stock.sh.  $topics, a parameter of the
# kernel, has topics with commas between them; else all are run.  Each begins and ends
# without pool.ko.

# shellcheck source=tests/lib/results.sh
. /files/results.sh
# shellcheck source=tests/vm/guest/stock/lib.sh
. /files/stock/lib.sh

all=load,pages,trace,dumps,poolctl,memstats,modules,names,replay,waits,gc,age,options,readers,parameters,cpu,lost,lockdown
for topic in $(echo "${topics:-$all}" | tr ',' ' '); do
	# shellcheck source=/dev/null
	. "/files/stock/$topic.sh"
done
check "all is unloaded" gone pool
finish
