-- ARGV: key, 2 when any value will do, 1 when a value is expected, 0 when none is, that value, 1 when there is a new one, that one, its
-- milliseconds or ''.
local value = redis.call('GET', RAFFIA .. 'value:' .. ARGV[1])
if ARGV[2] == '1' and value ~= ARGV[3] or ARGV[2] == '0' and value then return 0 end
set_value(ARGV[1], ARGV[4] == '1' and ARGV[5] or nil, ARGV[6] ~= '' and ARGV[6] or nil)
return 1
