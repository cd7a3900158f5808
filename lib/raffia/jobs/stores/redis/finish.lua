-- Ends claims. ARGV: token, how, a new payload or '', a time or '', then of claims that were made together: their name, their queue, the numbers
-- of those that have nothing of ours in them, and of the others. Numbers have 32 bits each.
-- Gives 1 when all of them were still the lease's, else of each 1 or 0.
local token, how, payload, at = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local claims = RAFFIA .. 'claims:' .. token
local results, all = {}, true

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

local function take(ref, plain)
  if plain and how == 'ack' then return redis.call('HDEL', claims, ref) == 1 end
  local old = redis.call('HGET', claims, ref)
  if not old then return false end
  redis.call('HDEL', claims, ref)
  finish(ref, old)
  return true
end

for i = 5, #ARGV, 4 do
  for kind = 2, 3 do
    local numbers = ARGV[i + kind]
    for place = 1, #numbers, 4 do
      local mine = take(ARGV[i] .. '.' .. struct.unpack('<I4', numbers, place) .. ' ' .. ARGV[i + 1], kind == 2)
      all = all and mine
      results[#results + 1] = mine and 1 or 0
    end
  end
end
return all and 1 or results
