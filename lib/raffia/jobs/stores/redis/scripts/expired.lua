-- Marks expired leases as lost. Forgets lost leases without claims, and their workers. A lost lease
-- that is still in `expiry` belongs to the reporter of its death until then.
-- Returns for each lost lease the token, then fields and payloads of its claims.
for _, token in ipairs(redis.call('ZRANGE', RAFFIA .. 'expiry', '-inf', now(), 'BYSCORE')) do
  local holder = redis.call('HGET', RAFFIA .. 'leases', token)
  if holder then
    redis.call('HSET', RAFFIA .. 'lost', token, holder)
  else
    redis.call('HSETNX', RAFFIA .. 'lost', token, '')
  end
  end_lease(token)
end

local found, left = {}, 1000
local lost = redis.call('HGETALL', RAFFIA .. 'lost')
for i = 1, #lost, 2 do
  local reported = redis.call('ZSCORE', RAFFIA .. 'expiry', lost[i])
  local claims = reported and {} or redis.call('HGETALL', RAFFIA .. 'claims:' .. lost[i])
  if #claims == 0 and not reported then
    redis.call('HDEL', RAFFIA .. 'lost', lost[i])
    forget_worker(lost[i + 1], lost[i])
  elseif #claims > 0 and left > 0 then
    local one = {lost[i]}
    -- All of them: their number decides which are charged.
    for _, value in ipairs(claims) do one[#one + 1] = value end
    found[#found + 1] = one
    left = left - #claims / 2
  end
end
return found
