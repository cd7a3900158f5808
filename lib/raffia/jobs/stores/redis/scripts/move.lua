-- Moves jobs that are still where they were.
-- ARGV: how (queue, front, dead, gone; another: another queue, in the same set), then for each job:
-- key, member, new payload, queue.
-- Returns the number of jobs moved.
-- Parts: ends
local how, time, count = ARGV[1], now(), 0

local function arrive(place, payload, queue)
  local own, item = extras(payload)
  if place ~= 'dead' and how == 'front' and cancelled_step(own) then
    return settle(own, item, true)
  end
  if how == 'queue' or how == 'front' then
    if place == 'dead' then
      revive_in_batch(own)
      revive_flow(own, item)
      revive_step(own, item)
    end
    note_unique(own, item and item.jid, 'queue', payload)
    return enqueue(queue, payload, own, how == 'front')
  end
  if how == 'dead' then redis.call('ZADD', 'dead', time, payload) end
  if place ~= 'dead' then settle(own, item, true) end
end

-- Gives a job another queue. `score` is that of a job that does not wait.
local function give(place, payload, queue, score)
  local own, item = extras(payload)
  if not score then
    note_unique(own, item and item.jid, 'queue', payload)
    return enqueue(queue, payload, own, false)
  end
  if place ~= 'dead' then note_unique(own, item and item.jid, place, payload) end
  redis.call('ZADD', place, score, payload)
end

for i = 2, #ARGV, 4 do
  local place, member, payload, queue = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local waits = string.find(place, 'queue:', 1, true)
  local score = how == 'another' and not waits and redis.call('ZSCORE', place, member)
  local there = remove(place, member)
  if there then count = count + 1 end
  if there and how == 'another' then
    give(place, payload, queue, score)
  elseif there then
    arrive(place, payload, queue)
    local token = string.match(place, '^raffia:claims:(%d+)$')
    if token then
      release_limit(extras(payload), token .. ' ' .. member)
    elseif how ~= 'queue' then
      release_limit(extras(payload), '')
    end
  end
end
save_workflows()
return count
