# frozen_string_literal: true

require_relative "http2_case"

# Responses of streams that waited for input. Their fibers end without another wait, so nothing but
# the loop itself sends what they have written.
class HTTP2WakeupsTest < HTTP2Case
  # Each would wait for the next timer of the server, a second at most, so that all of them together
  # would not be in time.
  REQUESTS = 100

  def test_a_response_to_a_body_that_comes_late_waits_for_nothing_else
    give_up = TestSupport.now + PATIENCE
    Connection.open(SharedServer.port) do |client|
      REQUESTS.times do |n|
        open_stream(client, n * 2 + 1)
        client.write(data(n * 2 + 1, "body"))
        assert_equal "body", client.response(n * 2 + 1).body
      end
    end
    assert_operator TestSupport.now, :<, give_up
  end
end
