-- ARGV: queues.
-- Returns 1 if a queue that is not paused has a suspect.
local paused = {}
for _, queue in ipairs(redis.call('SMEMBERS', 'paused')) do paused[queue] = true end
for _, queue in ipairs(ARGV) do
  local suspects = redis.call('ZCOUNT', RAFFIA .. 'queue:' .. queue, '-inf', SUSPECTS)
  if suspects > 0 and not paused[queue] then return 1 end
end
return 0
