# frozen_string_literal: true

module TestSupport
  # The back ends that a machine must offer. The kernel is asked by Ruby alone, so that a probe of
  # Raffia that wrongly says no is a failure, and not a smaller test matrix.
  module ExpectedBackends
    # The same number on every architecture.
    IO_URING_SETUP = 425
    PARAMS_SIZE = 120
    FEATURES_OFFSET = 20
    # Completions are never dropped (5.5), waits take a timeout (5.11).
    FEATURES = (1 << 1) | (1 << 8)

    module_function

    # @return [Array<Symbol>]
    def list
      return %i[select] unless RUBY_ENGINE == "ruby"

      case RUBY_PLATFORM
      when /linux/
        [*(:uring if io_uring?), :epoll, *(:kqueue if ENV["RAFFIA_KQUEUE"] == "1"), :poll, :select]
      when /bsd|darwin/ then %i[kqueue poll select]
      else %i[poll select]
      end
    end

    # @return [Boolean] whether the kernel lets this process open a ring with the features that
    #   Raffia needs
    def io_uring?
      params = String.new(capacity: PARAMS_SIZE * 16) << ("\0" * PARAMS_SIZE)
      ring = setup(params) or return false

      IO.for_fd(ring).close
      params.byteslice(FEATURES_OFFSET, 4).unpack1("L").allbits?(FEATURES)
    end

    # Kernel#syscall is deprecated, and has no successor without another library. It refuses strings
    # with zeros, so it gets the address.
    def setup(params)
      verbose, $VERBOSE = $VERBOSE, nil
      syscall(IO_URING_SETUP, 1, [params].pack("P").unpack1("J"))
    rescue SystemCallError, NotImplementedError
      nil
    ensure
      $VERBOSE = verbose
    end
  end
end
