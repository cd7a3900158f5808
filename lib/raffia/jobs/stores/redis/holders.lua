-- ARGV: a key with the runs of a limit. Gives how many of them are of claims that there are not.
local gone = 0
for _, holder in ipairs(redis.call('SMEMBERS', ARGV[1])) do
  local token, ref = string.match(holder, '^(%d+) (.*)$')
  if redis.call('HEXISTS', RAFFIA .. 'claims:' .. token, ref) == 0 then gone = gone + 1 end
end
return gone
