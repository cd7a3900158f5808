-- Ends claims.
-- ARGV: token, how, a new payload or '', a time or '', then for each result '', its claim, the
-- result, ''; and for each group of claims: its name, its queue, 32-bit numbers of claims without
-- Raffia's fields, and of those with them.
-- Returns 1 if all claims were valid, else 1 or 0 for each.
-- Parts: rates ends
local token, how, payload, at = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local claims = RAFFIA .. 'claims:' .. token
local results, all, values = {}, true, {}

local function finish(ref, old)
  if how == 'unbegun' then refund((extras(old))) end
  local own, item = extras(old)
  local waits = how == 'retry' or how == 'release' or how == 'unbegun'
  if waits and cancelled_step(own) then
    settle(own, item, true)
  elseif how == 'release' or how == 'unbegun' then
    return put_back(token, ref, old)
  elseif how == 'retry' then
    redis.call('ZADD', 'retry', at, payload)
    note_unique(own, item and item.jid, 'retry', payload)
  elseif how == 'bury' then
    redis.call('ZADD', 'dead', at, payload)
    local _, dead = extras(payload)
    settle(own, dead or item, true)
  else
    settle(own, item, how == 'discard', values[ref])
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
  if ARGV[i] == '' then values[ARGV[i + 1]] = ARGV[i + 2] end
  for kind = ARGV[i] == '' and 4 or 2, 3 do
    local numbers = ARGV[i + kind]
    for place = 1, #numbers, 4 do
      local number = struct.unpack('<I4', numbers, place)
      local valid = take(ARGV[i] .. '.' .. number .. ' ' .. ARGV[i + 1], kind == 2)
      all = all and valid
      results[#results + 1] = valid and 1 or 0
    end
  end
end
save_rates()
save_workflows()
return all and 1 or results
