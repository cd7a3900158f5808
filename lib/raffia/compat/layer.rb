# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  module Compat
    # The gem whose place a layer takes is loaded already: two of them cannot share one constant.
    class OriginalLoaded < Error
      # @return [String] the gem
      attr_reader :gem_name
      # @return [String, nil] where its constant was defined first
      attr_reader :location

      # @param layer [Layer]
      def initialize(message = nil, layer: nil)
        @gem_name = layer&.gem_name
        @location = layer&.location
        super(message ||
          "the gem #{@gem_name} is loaded already (#{layer&.constant} is defined in " \
          "#{location}), and " \
          "raffia/compat/#{layer&.name} takes its place: require " \
          "\"raffia/compat/#{layer&.name}\" before whatever loads it, such as " \
          "Bundler.require, or take #{@gem_name} out of the Gemfile")
      end
    end

    # A gem whose interface is provided, and by which files of ours.
    #
    # @!attribute [r] name
    #   @return [Symbol] as in `require "raffia/compat/NAME"`
    # @!attribute [r] constant
    #   @return [Symbol] what the gem defines
    # @!attribute [r] features
    #   @return [Hash{String => String}] what can be required, and the file of compat/ that answers
    #
    # @api private
    Layer = Data.define(:name, :constant, :features) do
      # Whoever keeps an index of the load path, as bootsnap does, requires a gem's file by its
      # whole path.
      # @param feature [#to_path, #to_str] what a program requires
      # @return [String, nil] as it would be said without such an index; nil for what Ruby will
      #   refuse
      def self.relative(feature)
        feature = feature.to_path if feature.respond_to?(:to_path)
        String.try_convert(feature)&.sub(%r{\A/.*/gems/[^/]+/lib/}, "")
      end

      # @return [String, nil] the file that Ruby, or RubyGems, would load
      def self.resolve(feature)
        feature = feature.to_path if feature.respond_to?(:to_path)
        _, path = $LOAD_PATH.resolve_feature_path(feature)
        return path if path

        spec = ::Gem::Specification.find_by_path(feature)
        spec&.matches_for_glob("#{feature.delete_suffix(".rb")}.rb")&.first
      end

      def initialize(name:, constant:, features:)
        super(name: name, constant: constant, features: features.freeze)
      end

      # @return [String] the gem's name, which is also the folder of its features
      def gem_name = name.to_s

      # A constant that is only to be loaded later does not count: what loads it will come to us.
      # @return [Boolean]
      def loaded? = Object.const_defined?(constant) && !Object.autoload?(constant)

      # Asked for by our name, while an autoload by the gem's is pending: that one knows its file by
      # another name, and a second file of the layer that opens the constant would set it off.
      # @return [void]
      def forget_autoload
        (Object.send(:remove_const, constant) if Object.const_defined?(constant))
      end

      # @return [String, nil] the file that began the definition
      def location = Object.const_source_location(constant)&.first

      # @param feature [#to_path, #to_str] what a program requires
      # @return [Boolean] as Kernel#require
      # @raise [LoadError] for what is not provided
      def load(feature)
        file = features[Layer.relative(feature).delete_suffix(".rb")] or
          return load_foreign(feature)
        return take_over(File.expand_path("#{file}.rb", __dir__)) if Object.autoload?(constant)

        require_relative "../compat/#{file}"
      end

      private

      # Other gems have files in this one's folder, such as sidekiq/cron.
      def load_foreign(feature)
        path = Layer.resolve(feature)
        raise missing(feature) if path.nil? || original?(path)

        Kernel.send(:raffia_compat_original_require, feature)
      end

      # @return [Boolean] whether the file lies where the gem's main file does
      def original?(path)
        at = path.rindex("/#{gem_name}/")
        at.nil? || File.exist?("#{path[0, at]}/#{gem_name}.rb")
      end

      # The program's autoload goes on, but with our file: other threads that want the constant
      # meanwhile wait until it is whole.
      def take_over(path)
        Object.autoload(constant, path)
        Object.const_get(constant)
        true
      end

      # With the path, as Ruby's own have it: there are programs that look.
      def missing(feature)
        error = LoadError.new("cannot load such file -- #{feature}: Raffia answers for " \
        "#{gem_name} here, and provides " \
          "#{features.keys.join(", ")}. Leave #{name} out of RAFFIA_COMPAT (or --compat=) to " \
          "have the gem itself")
        error.instance_variable_set(:@path, feature.to_s)
        error
      end
    end
  end
end
