-- Moves claimed jobs to the front of their queues.
-- ARGV: token, fields of claims, the newest first.
-- Returns the number of jobs moved.
local count = 0
for i = 2, #ARGV do
  local payload = redis.call('HGET', RAFFIA .. 'claims:' .. ARGV[1], ARGV[i])
  if payload then
    redis.call('HDEL', RAFFIA .. 'claims:' .. ARGV[1], ARGV[i])
    put_back(ARGV[1], ARGV[i], payload)
    count = count + 1
  end
end
return count
