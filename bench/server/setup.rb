# frozen_string_literal: true

require_relative "tools"

module ServerBench
  # How a server is started.
  #
  # @!attribute command
  #   @return [Array<String>] where it says PORT and FOLDER, these are put in
  # @!attribute files
  #   @return [Hash{String => String}] settings that it reads from files of its FOLDER, which is
  #   where it is started; PORT and FOLDER likewise
  # @!attribute cores
  #   @return [Integer] how many it may run on; with more than one the load has none for itself
  # @!attribute proof
  #   @return [Regexp, nil] what /stats must say, or it is not what it is called
  # @!attribute counts
  #   @return [Boolean] whether /stats says how many objects were allocated: one process, and Ruby
  # @!attribute http2
  #   @return [Setup, nil] how it is started for HTTP/2, if otherwise
  # @!attribute only_http2
  #   @return [Boolean] whether it speaks nothing else
  Setup = Data.define(:command, :files, :env, :cores, :proof, :counts, :http2, :only_http2) do
    def initialize(command:, files: {}, env: {}, cores: 1, proof: nil, counts: true, http2: nil,
      only_http2: false)
      super
    end

    # @return [Setup] for this port and folder
    def at(port, folder)
      fill = ->(text) { text.gsub("PORT", port.to_s).gsub("FOLDER", folder) }
      with(command: command.map(&fill), files: files.transform_values(&fill))
    end
  end
end
