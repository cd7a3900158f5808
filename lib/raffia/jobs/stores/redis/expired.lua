-- Gives of leases that have run out: the token, then fields and payloads of its claims. From then on these leases are lost; those that have
-- no claims left are forgotten, and their workers with them.
local leases = redis.call('HGETALL', RAFFIA .. 'leases')
for i = 1, #leases, 2 do
  if redis.call('EXISTS', RAFFIA .. 'lease:' .. leases[i]) == 0 then
    redis.call('HDEL', RAFFIA .. 'leases', leases[i])
    redis.call('HSET', RAFFIA .. 'lost', leases[i], leases[i + 1])
  end
end

local function forget(token, identity)
  redis.call('HDEL', RAFFIA .. 'lost', token)
  if redis.call('HGET', identity, 'raffia') ~= token then return end -- it works again, with another lease
  redis.call('SREM', 'processes', identity)
  redis.call('UNLINK', identity, identity .. ':work', identity .. '-signals', RAFFIA .. 'orders:' .. identity)
end

local found, room = {}, 1000
local lost = redis.call('HGETALL', RAFFIA .. 'lost')
for i = 1, #lost, 2 do
  local claims = redis.call('HGETALL', RAFFIA .. 'claims:' .. lost[i])
  if #claims == 0 then
    forget(lost[i], lost[i + 1])
  elseif room > 0 then
    found[#found + 1] = {lost[i], unpack(claims, 1, math.min(#claims, 2 * room))}
    room = room - #claims / 2
  end
end
return found
