-- Extends a lease, and writes the worker's state for Sidekiq's Web.
-- ARGV: token, identity, the lease's milliseconds, number of fields of Sidekiq's hash, these
-- fields, then those of :work.
-- Returns orders for the worker; nil when the lease is lost.
local identity = ARGV[2]
if redis.call('HGET', RAFFIA .. 'leases', ARGV[1]) ~= identity then return false end
local fields = 4 + tonumber(ARGV[4])

-- First, because a script that has written may go on when the memory is full.
redis.call('UNLINK', identity .. ':work')
extend(ARGV[1], ARGV[3])
redis.call('SADD', 'processes', identity)
redis.call('HSET', identity, unpack(ARGV, 5, fields))
redis.call('EXPIRE', identity, 60)
local work = identity .. ':work'
for i = fields + 1, #ARGV, 2 do redis.call('HSET', work, ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', work, 60)

local orders = {}
for _, key in ipairs({identity .. '-signals', RAFFIA .. 'orders:' .. identity}) do
  for _, order in ipairs(redis.call('RPOP', key, 100) or {}) do orders[#orders + 1] = order end
end
return orders
