-- Ends a flow, before its job ends.
-- ARGV: see held_flow.lua; status, result or '', 1 for an error, the error.
-- Parts: held_flow flows
local payload, answer = held()
if not payload then return answer end
if flow_open(ID) then
  settle_flow(ID, ARGV[5], ARGV[6] ~= '' and ARGV[6] or nil, ARGV[7] == '1' and ARGV[8] or nil)
end
return 1
