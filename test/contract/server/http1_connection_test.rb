# frozen_string_literal: true

require_relative "connection_contract"

# The contract of connections on HTTP/1.1.
class HTTP1ConnectionTest < Raffia::TestCase
  include ServerConnectionContract

  private

  def protocol = "http/1.1"

  def start(io, _id, path) = io.write("GET #{path} HTTP/1.1\r\nhost: localhost\r\n\r\n")

  def finish(io, _id)
    head = io.gets("\r\n\r\n")
    [head[/\AHTTP\/1.1 (\d+)/, 1].to_i, io.read(head[/^content-length: (\d+)/i, 1].to_i)]
  end

  def send_nonsense(io) = io.write("GET / HTTP/1.1\r\nno field\r\n\r\n")
end
