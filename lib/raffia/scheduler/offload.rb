# frozen_string_literal: true

module Raffia
  class Scheduler
    # Calls that block the thread whatever a scheduler does. Those that run Ruby's code go to other threads, if any were handed in: core's own,
    # which are short as a rule, to some that users' calls cannot occupy. Where the engine has native threads, it looks up names and moves
    # files' bytes by itself.
    #
    # @api private
    module Offload
      # Hook of Addrinfo.getaddrinfo and all that looks up names. libc does it, with all of its configuration, on a thread of the
      # engine's. An interrupt need not wait for it.
      #
      # @param hostname [String]
      # @return [Array<String>] addresses
      # @raise [SocketError]
      def address_resolve(hostname)
        loop = engine
        return resolve_elsewhere(hostname) unless loop.respond_to?(:resolve)

        resolution = nil
        park(false, "the addresses of #{hostname}") do |wait|
          resolution = loop.resolve(hostname, wait)
          false
        end
        resolution.addresses
      ensure
        loop.disarm(resolution.id) if resolution
      end

      # Hook of Ruby 3.4 for C code that releases the lock and may run on any thread: zlib, opening and closing files,
      # IO.copy_stream.
      #
      # @param work [#call]
      # @return [void]
      def blocking_operation_wait(work)
        # Closing is too short to be worth two thread switches.
        return close_here(work) if Engine.closing?

        offloaded_to_the_end { work.call }
        nil
      end

      # Run the block where it cannot hold up the other fibers, and wait for it in this one.
      # @return [Object] the block's value
      def offloaded(&block)
        @offload ? @offload.call(&block) : Fiber.blocking(&block)
      end

      private

      # In a fiber that is not blocking, the operation would ask the hook again.
      def close_here(work)
        Fiber.blocking { work.call }
        io_closed
      end

      def resolve_elsewhere(hostname)
        lookup = proc { Addrinfo.getaddrinfo(hostname, nil, nil, :STREAM).map(&:ip_address).uniq }
        @blocking ? @blocking.call(&lookup) : Fiber.blocking(&lookup)
      end

      # For core's work, which uses memory that dies with the wait, such as C code's arguments on the fiber's stack: an interrupt
      # calls the work off, and is raised when that has ended.
      def offloaded_to_the_end(&work)
        return Fiber.blocking(&work) unless @blocking

        errand = Errand.new(&work)
        begun = false
        Engine.see_through do
          next errand.call_off || true if begun

          begun = true
          @blocking.call { errand.run }
          true
        end
        errand.value
      end
    end
  end
end
