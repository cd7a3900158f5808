-- ARGV: queues. Gives 1 when one of them has a suspect, and is not paused.
local paused = {}
for _, queue in ipairs(redis.call('SMEMBERS', 'paused')) do paused[queue] = true end
for _, queue in ipairs(ARGV) do
  if not paused[queue] and redis.call('ZCOUNT', RAFFIA .. 'queue:' .. queue, '-inf', SUSPECTS) > 0 then return 1 end
end
return 0
