-- Ends the lease of a dead worker, so that nobody claims or beats with it.
-- ARGV: token, identity, the lease's milliseconds.
-- Returns fields and payloads of its claims. For the lease's time they are left to the caller,
-- which knows which jobs had begun.
local token, identity = ARGV[1], ARGV[2]
local holder = redis.call('HGET', RAFFIA .. 'leases', token)
if holder and holder ~= identity then return {} end
if not holder and redis.call('HGET', RAFFIA .. 'lost', token) ~= identity then return {} end
if holder then
  redis.call('HSET', RAFFIA .. 'lost', token, identity)
  end_lease(token)
  extend(token, ARGV[3])
  forget_worker(identity, token)
end
return redis.call('HGETALL', RAFFIA .. 'claims:' .. token)
