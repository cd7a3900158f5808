-- Ends claims. ARGV: token, how, a new payload or '', a time or '', how many of the claims have nothing of ours in them, these, the others.
-- Gives 1 when all of them were still the lease's, else of each 1 or 0.
local token, how, payload, at, plain = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local claims = RAFFIA .. 'claims:' .. token

local function finish(ref, old)
  if how == 'release' then return give_back(token, ref, old) end
  local own, item = extras(old)
  if how == 'retry' then
    redis.call('ZADD', 'retry', at, payload)
    note_unique(own, item and item.jid, 'retry', payload)
  elseif how == 'bury' then
    redis.call('ZADD', 'dead', at, payload)
    settle(own, item, true)
  else
    settle(own, item, how == 'discard')
  end
  release_limit(own, token .. ' ' .. ref)
end

local results, all = {}, true
for i = 6, #ARGV do
  local ref, mine = ARGV[i], nil
  if how == 'ack' and i - 5 <= plain then
    mine = redis.call('HDEL', claims, ref) == 1
  else
    local old = redis.call('HGET', claims, ref)
    mine = old and true or false
    if mine then
      redis.call('HDEL', claims, ref)
      finish(ref, old)
    end
  end
  all = all and mine
  results[i - 5] = mine and 1 or 0
end
return all and 1 or results
