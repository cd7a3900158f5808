-- Moves blocked jobs whose rate is open to the front of their queues, in their old order. Their
-- claims spend.
-- ARGV: maximum.
-- Returns the number of jobs moved.
-- Parts: rates
local most, moved = tonumber(ARGV[1]), 0

-- Returns the first jobs that the tokens allow, and the cost of the next one, nil for none.
local function take_fitting(rate, list, tokens)
  local found, left = {}, tokens
  for _, entry in ipairs(redis.call('LRANGE', list, 0, tokens)) do
    local queue, payload = string.match(entry, '^(%S+) (.*)$')
    local own, item = extras(payload)
    local cost = cost_of(rate, own and own.rate or {})
    left = left - cost
    if left < 0 then
      if #found > 0 then redis.call('LPOP', list, #found) end
      return found, cost
    end
    found[#found + 1] = {queue = queue, payload = payload, own = own, jid = item and item.jid}
  end
  if #found > 0 then redis.call('LPOP', list, #found) end
  return found, nil
end

local function open(key)
  local name = 'rate:' .. key
  local list = RAFFIA .. 'blocked:' .. name
  local rate = load_rate(key)
  if not rate then return redis.call('ZREM', OPENS, key) end
  local tokens = math.min(tokens_of(rate), most)
  local jobs, next_cost = take_fitting(rate, list, tokens)
  for i = #jobs, 1, -1 do
    note_unique(jobs[i].own, jobs[i].jid, 'queue', jobs[i].payload)
    enqueue(jobs[i].queue, jobs[i].payload, jobs[i].own, true)
  end
  moved = moved + #jobs
  if next_cost then
    local time = math.max(opening(rate, tokens, next_cost), rate.now + rate.grain)
    redis.call('ZADD', OPENS, string.format('%.6f', time), key)
  else
    redis.call('ZREM', OPENS, key)
    redis.call('SREM', RAFFIA .. 'blocked', name)
  end
end

for _, key in ipairs(redis.call('ZRANGE', OPENS, '-inf', now(), 'BYSCORE', 'LIMIT', 0, 100)) do
  open(key)
end
save_rates()
return moved
