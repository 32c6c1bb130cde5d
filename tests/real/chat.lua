-- SPDX-License-Identifier: GPL-2.0-only OR MIT
--
-- Makes wrk a client of the tutorial's server: it says what another one takes for answers
-- of HTTP.  So two clients, "wrk -c2", keep each other going.  wrk looks at the first
-- request, without sending it, to see how many are sent at once.

local AT_ONCE = 400
local looked = false

function request()
	local said = looked and "HTTP/1.1 204 Said\r\n\r\n" or "GET / HTTP/1.1\r\n\r\n"

	looked = true
	return said:rep(AT_ONCE)
end
