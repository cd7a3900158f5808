# frozen_string_literal: true

require_relative "error"

module Raffia
  # Loads an optional gem by name, on use, in the one file that wraps it. Main Ractor only, because
  # RubyGems works in no other.
  #
  # @api private
  module Optional
    # +for+ is the user, in words: "the sqlite store". +feature+ is the file to require. Raises
    # MissingDependency with the line to add to the Gemfile.
    def self.gem(name, requirement = nil, for:, feature: name)
      # Asks RubyGems for the version; without RubyGems there is only the load path.
      Kernel.send(:gem, name, *requirement) if Kernel.respond_to?(:gem, true)
      load(feature)
      true
    rescue LoadError
      user = binding.local_variable_get(:for)
      line = ["gem \"#{name}\"", *("\"#{requirement}\"" if requirement)].join(", ")
      raise MissingDependency.new(
        "#{user} needs the gem #{[name, *requirement].join(" ")}, which could not be loaded: add " \
        "this line to your Gemfile and run `bundle install`: #{line}",
        gem_name: name, requirement: requirement
      )
    end

    # A dependency that is not named may be there in two versions: Ruby's own and a later one
    # (bigdecimal since Ruby 3.4). RubyGems does not choose between them.
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

    # Whether such a gem could be loaded; does not load it.
    def self.available?(name, requirement = nil)
      !!::Gem::Specification.find_by_name(name, *requirement)
    rescue ::Gem::LoadError
      false
    end
  end
end
