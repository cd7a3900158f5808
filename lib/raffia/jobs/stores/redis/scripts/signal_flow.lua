-- Sends a signal.
-- ARGV: id, name, payload, 1 with a key, the key.
-- Returns 1 for a new signal, 0 for one that was sent before; nil when there is no such flow, or it
-- has ended.
-- Parts: flows
if not flow_open(ARGV[1]) then return false end
return send_signal(ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1' and ARGV[5] or nil) and 1 or 0
