# frozen_string_literal: true

# A listener, a loop and a scheduler in each Ractor, all on one port: the kernel deals the
# connections out (SO_REUSEPORT), and nothing goes from one Ractor to another on a request's path.
#
# The main Ractor makes the listeners and keeps them: one that is closed loses the connections in
# its queue. So to stop, it tells the Ractors through a pipe, which they read like everything else;
# they answer what they have accepted, then they end.
#
#     bin/raffia run examples/ractor_reuseport.rb
#
# It prints whether all answers are right, and how many conversations there were.

require "raffia"
require "socket"

WORKERS = 2
CLIENTS = 200

# One line for each line, backwards.
def converse(client)
  while (line = client.gets)
    client.write("#{line.chomp.reverse}\n")
  end
ensure
  client.close
end

def listener(port)
  socket = Socket.new(:INET, :STREAM)
  socket.setsockopt(:SOCKET, :REUSEPORT, true)
  socket.bind(Addrinfo.tcp("127.0.0.1", port))
  socket.listen(1024)
  socket
end

first = listener(0)
port = first.local_address.ip_port
listeners = [first] + Array.new(WORKERS - 1) { listener(port) }
stops = listeners.map { IO.pipe }

workers = listeners.zip(stops).map do |socket, ends|
  Ractor.new(socket.fileno, ends.first.fileno) do |*descriptors|
    # The same descriptors, as objects of this Ractor.
    listener = Socket.for_fd(descriptors.first).tap { |copy| copy.autoclose = false }
    stop = IO.for_fd(descriptors.last, autoclose: false)
    served = 0
    Raffia.run do |scope|
      accepting = scope.spawn do
        loop do
          client, = listener.accept
          scope.spawn { converse(client) }
          served += 1
        end
      end
      stop.read
      accepting.cancel
    end
    served
  end
end

Raffia.run do |scope|
  clients = CLIENTS.times.map do |n|
    scope.spawn do
      TCPSocket.open("127.0.0.1", port) do |socket|
        3.times.all? do |m|
          socket.write("question #{n}.#{m}\n") &&
            socket.gets == "question #{n}.#{m}".reverse << "\n"
        end
      end
    end
  end
  puts "all answers right: #{clients.map(&:value).all?}"
end
stops.each { |_, tell| tell.close }

# Ractor#take is Ractor#value from Ruby 4.0 on.
served = workers.map { |worker| worker.respond_to?(:value) ? worker.value : worker.take }
puts "conversations: #{served.sum}, in each Ractor some: #{served.all?(&:positive?)}"
