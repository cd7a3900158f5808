-- Writes a value.
-- ARGV: key, 2 for any present value, 1 for an expected one, 0 for none, that value, 1 for a new
-- value, that value, its milliseconds or ''.
-- Returns 0 if another value was present.
local value = redis.call('GET', RAFFIA .. 'value:' .. ARGV[1])
if ARGV[2] == '1' and value ~= ARGV[3] or ARGV[2] == '0' and value then return 0 end
set_value(ARGV[1], ARGV[4] == '1' and ARGV[5] or nil, ARGV[6] ~= '' and ARGV[6] or nil)
return 1
