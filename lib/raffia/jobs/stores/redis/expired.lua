-- Gives of leases that have run out: the token, then fields and payloads of its claims. From then on these leases are lost; those that have
-- no claims left are forgotten, and their workers with them. One that is lost and has a time in `expiry` is left to who reports its death, until then.
for _, token in ipairs(redis.call('ZRANGE', RAFFIA .. 'expiry', '-inf', now(), 'BYSCORE')) do
  local holder = redis.call('HGET', RAFFIA .. 'leases', token)
  if holder then redis.call('HSET', RAFFIA .. 'lost', token, holder) else redis.call('HSETNX', RAFFIA .. 'lost', token, '') end
  end_lease(token)
end

local found, room = {}, 1000
local lost = redis.call('HGETALL', RAFFIA .. 'lost')
for i = 1, #lost, 2 do
  local reported = redis.call('ZSCORE', RAFFIA .. 'expiry', lost[i])
  local claims = reported and {} or redis.call('HGETALL', RAFFIA .. 'claims:' .. lost[i])
  if #claims == 0 and not reported then
    redis.call('HDEL', RAFFIA .. 'lost', lost[i])
    forget_worker(lost[i + 1], lost[i])
  elseif #claims > 0 and room > 0 then
    local one = {lost[i]}
    for _, value in ipairs(claims) do one[#one + 1] = value end -- all of them: what a death means depends on how many there were
    found[#found + 1] = one
    room = room - #claims / 2
  end
end
return found
