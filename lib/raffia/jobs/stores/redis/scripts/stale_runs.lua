-- ARGV: a key with the runs of a limit.
-- Returns the number of runs whose claim does not exist.
local gone = 0
for _, holder in ipairs(redis.call('SMEMBERS', ARGV[1])) do
  local token, ref = string.match(holder, '^(%d+) (.*)$')
  if redis.call('HEXISTS', RAFFIA .. 'claims:' .. token, ref) == 0 then gone = gone + 1 end
end
return gone
