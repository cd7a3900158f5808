# frozen_string_literal: true

require_relative "error"

module Raffia
  # The one way to load an optional gem: by name, on use, in the one file that wraps it; in the main
  # Ractor, because RubyGems works in no other.
  module Optional
    # @param name [String] the gem
    # @param requirement [String, nil] the versions that will do, such as ">= 2.9.2"
    # @param for [String] who needs it, in words: "the sqlite store"
    # @param feature [String] what to require
    # @return [true]
    # @raise [MissingDependency] with the line to add to the Gemfile
    def self.gem(name, requirement = nil, for:, feature: name)
      # Asks RubyGems for the version; without RubyGems there is only the load path.
      Kernel.send(:gem, name, *requirement) if Kernel.respond_to?(:gem, true)
      load(feature)
      true
    rescue LoadError
      user = binding.local_variable_get(:for)
      line = ["gem \"#{name}\"", *("\"#{requirement}\"" if requirement)].join(", ")
      raise MissingDependency.new("#{user} needs the gem " \
      "#{name}#{" #{requirement}" if requirement}, which could not be loaded: " \
        "add this line to your Gemfile and run `bundle install`: #{line}", gem_name: name,
        requirement: requirement)
    end

    # Of what a gem wants and does not name there may be two versions, Ruby's own and a later one
    # (bigdecimal since Ruby 3.4), and RubyGems does not choose between them.
    def self.load(feature)
      require feature
    rescue LoadError => error
      wanted = error.path
      if wanted.nil? || wanted == feature || ::Gem::Specification.find_all_by_name(wanted).empty?
        raise
      end

      Kernel.send(:gem, wanted)
      require feature
    end
    private_class_method :load

    # @return [Boolean] whether such a gem could be loaded, without loading it
    def self.available?(name, requirement = nil)
      !!::Gem::Specification.find_by_name(name, *requirement)
    rescue ::Gem::LoadError
      false
    end
  end
end
