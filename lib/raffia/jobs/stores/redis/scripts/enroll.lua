-- Begins a lease.
-- ARGV: identity, the lease's milliseconds, then the fields of Sidekiq's hash.
-- Returns the token.
-- First, because a script that has written may go on when the memory is full.
redis.call('UNLINK', ARGV[1] .. ':work')
-- By the clock, or else one more than the last: a Redis that comes back with older data must not
-- give a token twice.
local last = redis.call('INCR', RAFFIA .. 'token')
local token = string.format('%.0f', math.max(last, math.floor(now() * 1000000)))
redis.call('SET', RAFFIA .. 'token', token)
extend(token, ARGV[2])
redis.call('HSET', RAFFIA .. 'leases', token, ARGV[1])
redis.call('SADD', 'processes', ARGV[1])
redis.call('HSET', ARGV[1], 'raffia', token, unpack(ARGV, 3))
redis.call('EXPIRE', ARGV[1], 60)
return tonumber(token)
