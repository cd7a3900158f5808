-- ARGV: token, identity, the lease's milliseconds. Ends the lease of a worker that has died: nobody claims or beats by it from now on.
-- Gives fields and payloads of its claims. For as long as a lease they are left to the caller, which knows what had begun.
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
