-- Begins a function anew, without steps.
-- ARGV: see held_flow.lua; the new payload.
-- Parts: flow_parking
local payload, answer = held()
if not payload then return answer end
leave(ARGV[5], 'pending', function(own)
  redis.call('UNLINK', STEPS, flow_part(ID, 'waits'), flow_part(ID, 'awaits'))
  redis.call('HINCRBY', FLOW .. ID, 'run', 1)
  redis.call('HSET', FLOW .. ID, 'steps', 0)
  note_unique(own, ID, 'queue', ARGV[5])
  enqueue(string.match(REF, ' (.*)$'), ARGV[5], own, false)
end)
return 1
