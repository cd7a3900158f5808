-- Takes jobs from one place to another, each only if it is still there as it was. ARGV: how, then of each: place, old, new, queue.
-- place: schedule, retry, dead, or the hash of a lease's claims, where old is the field. how: queue, front or dead.
-- Gives how many.
local how, time, count = ARGV[1], now(), 0
for i = 2, #ARGV, 4 do
  local place, old, new, queue = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local token = string.match(place, '^raffia:claims:(%d+)$')
  local gone
  if token then gone = redis.call('HDEL', place, old) else gone = redis.call('ZREM', place, old) end
  if gone == 1 then
    count = count + 1
    local own, item = extras(new)
    if how == 'dead' then
      redis.call('ZADD', 'dead', time, new)
      if place ~= 'dead' then settle(own, item, true) end
    else
      note_unique(own, item and item.jid, 'queue', new)
      enqueue(queue, new, own, how == 'front')
    end
    if token then release_limit(own, token .. ' ' .. old) end
  end
end
return count
