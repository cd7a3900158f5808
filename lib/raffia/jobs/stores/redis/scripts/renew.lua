-- Extends a lease.
-- ARGV: token, identity, the lease's milliseconds.
-- Returns 0 when the lease is lost.
if redis.call('HGET', RAFFIA .. 'leases', ARGV[1]) ~= ARGV[2] then return 0 end
extend(ARGV[1], ARGV[3])
redis.call('EXPIRE', ARGV[2], 60)
redis.call('EXPIRE', ARGV[2] .. ':work', 60)
return 1
