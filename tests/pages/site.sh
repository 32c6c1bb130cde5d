#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Makes the site of Documentation/ anew, which fails at a warning, and follows its links.

set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

rm -rf build/html build/doctrees
check the_site_is_made_without_a_warning make -s html
check each_link_of_the_site_leads_somewhere tests/pages/site.py build/html
finish
