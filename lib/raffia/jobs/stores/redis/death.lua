-- ARGV: token, identity. Ends the lease of a worker that has died: nobody claims or beats by it from now on.
-- Gives fields and payloads of its claims.
local token, identity = ARGV[1], ARGV[2]
if redis.call('HGET', RAFFIA .. 'leases', token) ~= identity then return {} end
redis.call('HSET', RAFFIA .. 'lost', token, identity)
end_lease(token)
forget_worker(identity, token)
return redis.call('HGETALL', RAFFIA .. 'claims:' .. token)
