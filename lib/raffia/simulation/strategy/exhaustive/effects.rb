# frozen_string_literal: true

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # Effects of methods in C on their receivers. A method that is not listed writes.
        # @api private
        module Effects
          # They read the receiver.
          READS = {
            ::Array => %i[[] at first last length size empty? each each_with_index each_index
              reverse_each map collect select filter reject include? index find_index rindex dig sum
              min max minmax sort take drop join to_a to_ary to_s inspect hash == eql? <=> + - * &
              | values_at count any? all? none? one? zip product combination permutation flatten
              compact uniq reverse rotate sample shuffle slice fetch pack cycle transpose assoc
              take_while drop_while each_slice filter_map to_h dup clone frozen? ! !=],
            ::Hash => %i[[] fetch key? has_key? include? member? value? key keys values length size
              empty? each each_pair each_key each_value map select filter reject dig to_a to_h to_s
              inspect hash == eql? any? all? none? count find min_by max_by sum sort_by merge invert
              slice except values_at fetch_values transform_values transform_keys dup clone ! !=],
            ::String => %i[+ * % == === eql? <=> =~ [] length size bytesize empty? hash to_s to_str
              to_sym to_i to_f inspect upcase downcase capitalize strip lstrip rstrip chomp chop
              split lines bytes chars each_char each_line start_with? end_with? include? index
              rindex match match? sub gsub tr reverse center ljust rjust unpack unpack1 encoding
              valid_encoding? ascii_only? dup clone +@ -@ freeze succ next ord hex oct byteslice
              getbyte scan count delete squeeze partition rpartition intern slice ! !=],
            ::Thread::Mutex => %i[locked? owned?],
            ::Thread::Queue => %i[length size empty? closed? num_waiting max],
            ::Struct => %i[[] == to_a to_h each members dig values hash eql? inspect to_s],
            ::Exception => %i[message full_message backtrace backtrace_locations cause to_s inspect
              == detailed_message],
            ::Proc => %i[call yield () === [] arity lambda? parameters to_proc curry >> << hash ==
              source_location binding],
            ::Method => %i[call === [] arity to_proc unbind owner receiver name parameters],
            ::Enumerable => :all,
            ::Comparable => :all,
            ::Module => %i[new allocate === == != < <= > >= name to_s inspect hash instance_method
              instance_methods method_defined? const_get const_defined? ancestors superclass
              instance_method public_instance_method include? class_eval instance_methods
              private_instance_methods]
          }.freeze

          # Methods of all objects that touch no state of the receiver. What they call is seen.
          NONE = %i[! != == equal? __id__ object_id class singleton_class frozen? nil? is_a?
            kind_of? instance_of? respond_to? respond_to_missing? hash eql? === =~ !~ <=> then tap
            itself
            method public_method methods send __send__ public_send instance_exec instance_eval
            loop lambda proc raise catch throw block_given? binding caller caller_locations require
            require_relative puts print p pp sleep rand srand Integer Float String Array Hash
            Rational format sprintf printf warn freeze to_s inspect display enum_for to_enum
            extend initialize inherited included extended prepended method_added freeze
            __method__ __dir__ at_exit abort exit dup clone initialize_copy initialize_dup
            initialize_clone instance_variable_defined? singleton_method_added Complex
            set_backtrace exception backtrace].to_h { |name| [name, true] }.freeze

          TABLE = READS.transform_values do |names|
            (names == :all) ? Hash.new(true).freeze : names.to_h { |name| [name, true] }.freeze
          end.freeze
          ROOTS = [::Kernel, ::BasicObject, ::Object].freeze
          private_constant :READS, :NONE, :TABLE, :ROOTS

          # The same for a method that the simulation has put before one of core.
          # @param object [Object] the receiver
          def self.of_object(object, name)
            return :none if ::Module === object || NONE.key?(name)
            TABLE.each { |type, names| return names[name] ? :read : :write if type === object }
            :write
          end

          # @param owner [Module] the class of the method
          # @return [Symbol] :none, :read, :write, or :unknown for what may touch anything
          def self.of(owner, name)
            return NONE.key?(name) ? :none : :unknown if ROOTS.include?(owner)
            return :none if name == :initialize
            TABLE.each do |type, names|
              return names[name] ? :read : :write if owner <= type
            end
            :write
          end
        end
      end
    end
  end
end
