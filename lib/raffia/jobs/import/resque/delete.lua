-- Forgets the batch ARGV[1]; a later one stays.
local list, mark = KEYS[1] .. 'raffia:import', KEYS[1] .. 'raffia:import:batch'
if redis.call('GET', mark) ~= ARGV[1] then return 0 end
return redis.call('DEL', list, mark)
