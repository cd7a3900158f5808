-- Ends a lease. Its claims go back to the front of their queues, the oldest foremost.
-- ARGV: token, identity.
local token, identity = ARGV[1], ARGV[2]
local held = redis.call('HGETALL', RAFFIA .. 'claims:' .. token)
local claims = {}
for i = 1, #held, 2 do claims[#claims + 1] = {held[i], held[i + 1]} end
table.sort(claims, newest_first)
for _, claim in ipairs(claims) do put_back(token, claim[1], claim[2]) end
redis.call('DEL', RAFFIA .. 'claims:' .. token)
end_lease(token)
forget_worker(identity, token)
return 1
