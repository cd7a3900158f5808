# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  module Compat
    # The gem that a layer replaces is loaded already: two of them cannot share one constant.
    class OriginalLoaded < Error
      # @return [String] the gem
      attr_reader :gem_name
      # @return [String, nil] where its constant was defined first
      attr_reader :location

      # @param layer [Layer]
      def initialize(message = nil, layer: nil)
        @gem_name = layer&.gem_name
        @location = layer&.location
        super(message || "the gem #{@gem_name} is loaded already (#{layer&.constant} is defined " \
          "in #{location}), and raffia/compat/#{layer&.name} takes its place: require " \
          "\"raffia/compat/#{layer&.name}\" before whatever loads it, such as Bundler.require, " \
          "or take #{@gem_name} out of the Gemfile")
      end
    end

    # A gem whose interface Raffia provides: the constant that it defines, and the features that a
    # program requires, each with the file of compat/ that answers.
    #
    # @api private
    Layer = Data.define(:name, :constant, :features) do
      # The feature without the path of a gem, nil for what Ruby will refuse. Indexes of the load
      # path, such as bootsnap, require the files of gems by whole paths.
      def self.relative(feature)
        feature = feature.to_path if feature.respond_to?(:to_path)
        String.try_convert(feature)&.sub(%r{\A/.*/gems/[^/]+/lib/}, "")
      end

      # The file that Ruby or RubyGems would load, nil when there is none.
      def self.resolve(feature)
        feature = feature.to_path if feature.respond_to?(:to_path)
        _, path = $LOAD_PATH.resolve_feature_path(feature)
        return path if path

        spec = ::Gem::Specification.find_by_path(feature)
        spec&.matches_for_glob("#{feature.delete_suffix(".rb")}.rb")&.first
      end

      # +features+: names of features by the file that answers for them.
      def initialize(name:, constant:, features:)
        by_feature = features.flat_map { |file, names| names.map { |feature| [feature, file] } }
        super(name:, constant:, features: by_feature.to_h.freeze)
      end

      # The gem's name, which is also the folder of its features.
      def gem_name = name.to_s

      # False while only an autoload is pending: its require will come to this layer.
      def loaded? = Object.const_defined?(constant) && !Object.autoload?(constant)

      # Removes an autoload of the gem when the layer is required by its own name. Otherwise a
      # second file of the layer, which opens the constant, would set the autoload off.
      def forget_autoload
        (Object.send(:remove_const, constant) if Object.const_defined?(constant))
      end

      # The file that defined the constant first.
      def location = Object.const_source_location(constant)&.first

      # Returns as Kernel#require. Raises LoadError for a feature that is not provided.
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

        raffia_compat_original_require(feature)
      end

      # Whether the file lies beside the gem's main file.
      def original?(path)
        at = path.rindex("/#{gem_name}/")
        at.nil? || File.exist?("#{path[0, at]}/#{gem_name}.rb")
      end

      # Continues the program's autoload with our file. Other threads that use the constant
      # meanwhile wait until it is complete.
      def take_over(path)
        Object.autoload(constant, path)
        Object.const_get(constant)
        true
      end

      # Has the path, as Ruby's own LoadErrors do, because programs read it.
      def missing(feature)
        error = LoadError.new("cannot load such file -- #{feature}: Raffia answers for " \
          "#{gem_name} here, and provides #{features.keys.join(", ")}. Leave #{name} out of " \
          "RAFFIA_COMPAT (or --compat=) to have the gem itself")
        error.instance_variable_set(:@path, feature.to_s)
        error
      end
    end
  end
end
