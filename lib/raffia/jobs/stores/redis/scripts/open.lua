-- Moves blocked jobs whose rate is open to their queues.
-- ARGV: maximum.
-- Returns the number of jobs moved.
-- Parts: rates
local moved = open_rates(tonumber(ARGV[1]), false)
save_rates()
return moved
