-- Ends claims of jobs that have nothing to settle: of most jobs.
-- ARGV: token, then for each group of claims: its name, its queue, 32-bit numbers of claims.
-- Returns 1 if all claims were valid, else 1 or 0 for each.
-- Parts: none
local claims = 'raffia:claims:' .. ARGV[1]
local results, all = {}, 1
for i = 2, #ARGV, 3 do
  local numbers = ARGV[i + 2]
  for place = 1, #numbers, 4 do
    local number = struct.unpack('<I4', numbers, place)
    local valid = redis.call('HDEL', claims, ARGV[i] .. '.' .. number .. ' ' .. ARGV[i + 1])
    if valid == 0 then all = 0 end
    results[#results + 1] = valid
  end
end
return all == 1 and 1 or results
