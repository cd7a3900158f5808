-- ARGV: token, fields of claims, the newest first. They go to the front of their queues.
-- Gives how many.
local count = 0
for i = 2, #ARGV do
  local payload = redis.call('HGET', RAFFIA .. 'claims:' .. ARGV[1], ARGV[i])
  if payload then
    redis.call('HDEL', RAFFIA .. 'claims:' .. ARGV[1], ARGV[i])
    give_back(ARGV[1], ARGV[i], payload)
    count = count + 1
  end
end
return count
