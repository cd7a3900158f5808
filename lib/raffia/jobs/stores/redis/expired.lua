-- Gives of leases that have run out: the token, then fields and payloads of its claims. From then on these leases are lost; those that have
-- no claims left are forgotten, and their workers with them.
for _, token in ipairs(redis.call('ZRANGE', RAFFIA .. 'expiry', '-inf', now(), 'BYSCORE')) do
  redis.call('HSET', RAFFIA .. 'lost', token, redis.call('HGET', RAFFIA .. 'leases', token) or '')
  end_lease(token)
end

local found, room = {}, 1000
local lost = redis.call('HGETALL', RAFFIA .. 'lost')
for i = 1, #lost, 2 do
  local claims = redis.call('HGETALL', RAFFIA .. 'claims:' .. lost[i])
  if #claims == 0 then
    redis.call('HDEL', RAFFIA .. 'lost', lost[i])
    forget_worker(lost[i + 1], lost[i])
  elseif room > 0 then
    local one = {lost[i]}
    for _, value in ipairs(claims) do one[#one + 1] = value end -- all of them: what a death means depends on how many there were
    found[#found + 1] = one
    room = room - #claims / 2
  end
end
return found
