-- ARGV: key, 2 when any value will do, 1 when a value is expected, 0 when none is, that value, 1 when there is a new one, that one, its
-- milliseconds or ''.
local key = RAFFIA .. 'value:' .. ARGV[1]
local value = redis.call('GET', key)
if ARGV[2] == '1' and value ~= ARGV[3] or ARGV[2] == '0' and value then return 0 end
set_value(ARGV[1], ARGV[4] == '1' and ARGV[5] or nil)
if ARGV[4] == '1' and ARGV[6] ~= '' then redis.call('PEXPIRE', key, ARGV[6]) end
return 1
