-- ARGV: token, identity, the lease's milliseconds, how many fields Sidekiq's hash gets, these, then those of its :work.
-- Gives the orders for this worker; nil when the lease is lost.
local identity = ARGV[2]
if redis.call('HGET', RAFFIA .. 'leases', ARGV[1]) ~= identity then return false end
local fields = 4 + tonumber(ARGV[4])

redis.call('UNLINK', identity .. ':work') -- first of all: a script that has begun to write may go on, however full the memory is
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
