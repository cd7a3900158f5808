# frozen_string_literal: true

module Raffia
  module Lab
    module Web
      # Texts that a server has and a client can know, so that it can be told whether they arrived
      # whole.
      module Document
        # Larger than the 32 KiB in which deflate looks for repetitions.
        BLOCK = 65_536

        module_function

        # @param index [Integer]
        # @param bytes [Integer]
        # @return [String] as different from the others as hexadecimal digits can be
        def text(index, bytes)
          block = Random.new(index).bytes([bytes, BLOCK].min.ceildiv(2)).unpack1("H*")
          (block * bytes.ceildiv(block.bytesize)).byteslice(0, bytes)
        end
      end
    end
  end
end
