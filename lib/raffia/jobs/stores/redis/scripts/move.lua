-- Moves jobs that are still where they were.
-- ARGV: how (queue, front, dead, gone), then for each job: key, member, new payload, queue.
-- Returns the number of jobs moved.
local how, time, count = ARGV[1], now(), 0

local function arrive(place, payload, queue)
  local own, item = extras(payload)
  if how == 'queue' or how == 'front' then
    if place == 'dead' then revive_in_batch(own) end
    note_unique(own, item and item.jid, 'queue', payload)
    return enqueue(queue, payload, own, how == 'front')
  end
  if how == 'dead' then redis.call('ZADD', 'dead', time, payload) end
  if place ~= 'dead' then settle(own, item, true) end
end

for i = 2, #ARGV, 4 do
  local place, member, payload, queue = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  if remove(place, member) then
    count = count + 1
    arrive(place, payload, queue)
    local token = string.match(place, '^raffia:claims:(%d+)$')
    if token then
      release_limit(extras(payload), token .. ' ' .. member)
    elseif how ~= 'queue' then
      release_limit(extras(payload), '')
    end
  end
end
return count
